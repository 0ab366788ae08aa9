a1
b2
