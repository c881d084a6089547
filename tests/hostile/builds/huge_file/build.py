with open("huge", "wb") as file:
    try:
        file.truncate(1 << 40)
    except OSError:
        file.truncate((1 << 30) - 1)
