for number in range(5000):
    open(f"file{number}", "w").close()
