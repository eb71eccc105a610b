# A loop: any number of conditional breakpoints on one line stop where their condition holds, the last as the first.
total = 0
for turn in range(12):
    total += turn * turn
print(total)
