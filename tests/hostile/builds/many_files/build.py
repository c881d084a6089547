for number in range(2100):
    open(f"file{number}", "w").close()
