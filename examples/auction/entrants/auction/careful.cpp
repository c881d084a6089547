// careful: bids for valuable prizes only.

#include <algorithm>

int bid(const View *view) { return std::max(0, view->value - 30); }
