graph [
  directed 1
  node [
    id 0
    label "host0.rank1->conv1/Conv2D"
  ]
  node [
    id 1
    label "host0.rank1->gradients/conv1/Conv2DBackpropFilter"
  ]
  node [
    id 2
    label "host0.rank1->Comm.conv1/kernel"
  ]
  node [
    id 3
  ]
  edge [
    source 0
    target 1
  ]
  edge [
    source 1
    target 2
    weight 0.5
  ]
  edge [
    source 2
    target 9
  ]
]
