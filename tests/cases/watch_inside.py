# Containers, an object and a buffer change far from their beginning: a watch of each stops there.
class Point:
    x = 0


def change():
    numbers = list(range(800))
    table = {k: k for k in range(600)}
    point = Point()
    data = bytearray(2000)
    numbers[798] = None
    table[599] = None
    point.x = 7
    data[1999] = 255
    return numbers[798], table[599], point.x, data[1999]


print(change())
