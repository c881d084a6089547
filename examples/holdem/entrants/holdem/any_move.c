/* any_move: by chance, mostly calls; raises of any size. */

int act(const View *view)
{
    int drawn = rand() % 10;
    return drawn < 1 ? FOLD : drawn < 7 ? CALL : RAISE;
}

int raise_to(const View *view) { return view->least + rand() % (view->most - view->least + 1); }
