# cmake --install build/release --prefix ...: beside the programs (app) and what records jobs (collectors), sample bundles,
# entry in the desktop's menu.
include(GNUInstallDirs)
install(DIRECTORY resources/samples DESTINATION ${CMAKE_INSTALL_DATADIR}/longpole)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES collectors/RECORDING.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/collectors)
install(DIRECTORY resources/help DESTINATION ${CMAKE_INSTALL_DOCDIR}/resources) # where links between pages expect it
if(LONGPOLE_BUILD_UI)
    install(FILES packaging/longpole.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES packaging/longpole.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    if(EXISTS ${CMAKE_SOURCE_DIR}/resources/icons/longpole.svg)
        install(FILES resources/icons/longpole.svg
            DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
    endif()
endif()
