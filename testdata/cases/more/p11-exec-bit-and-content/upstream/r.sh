a
b2
