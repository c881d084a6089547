// careful: bids for valuable prizes only.

int bid(const View *view) { return view->value > 30 ? view->value - 30 : 0; }
