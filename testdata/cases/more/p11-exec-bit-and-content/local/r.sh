a1
b
