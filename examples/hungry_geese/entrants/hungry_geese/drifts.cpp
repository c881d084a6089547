// drifts: any way but the opposite of the last one.

int move(const View *view)
{
    static int last = 0, step = 1000;
    int way = rand() % 4;
    if (view->step > step && (way + 2) % 4 == last)
        way = last;
    step = view->step;
    return last = way;
}
