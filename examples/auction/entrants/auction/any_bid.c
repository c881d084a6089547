/* any_bid: any bid, whatever the prize is worth. */

int bid(const View *view) { return rand() % 101; }
