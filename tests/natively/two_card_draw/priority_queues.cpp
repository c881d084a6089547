// gnu++17: priority queues: shortest ways, the k largest, heaps by hand
#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

class TwoCardDraw {
    std::priority_queue<int> largest;
    std::vector<int> heap;
    int ways(int seed, int goal) {
        std::vector<int> far(60, 1 << 30);
        using Place = std::pair<int, int>;
        std::priority_queue<Place, std::vector<Place>, std::greater<>> open;
        open.push({0, seed % 60});
        far[seed % 60] = 0;
        while (!open.empty()) {
            auto [d, at] = open.top();
            open.pop();
            if (d > far[at])
                continue;
            for (int k = 1; k < 5; ++k) {
                const int to = (at * k + 7) % 60, cost = (at + to) % 9 + 1;
                if (d + cost < far[to])
                    open.push({far[to] = d + cost, to});
            }
        }
        return far[goal % 60];
    }
public:
    int init(int, int) { return 0; }
    int new_hand(int card1, int card2, int winnings) {
        largest.push(winnings);
        if (largest.size() > 9)
            largest.pop();
        heap.push_back(winnings * 13 % 101);
        std::push_heap(heap.begin(), heap.end());
        return largest.top() * 1000 + heap.front();
    }
    int round1(int card1, int card2, int bets) { return ways(card1 * 17 + bets, card2 * 11); }
    int draw(int card1, int card2, int) { auto copy = heap; std::sort_heap(copy.begin(), copy.end()); int h = 0; for (int x : copy) h = h * 3 + x; return h; }
    int round2(int card1, int, int bets1, int bets2, int drew) { return ways(bets1 * 5 + drew, bets2 * 7 + card1); }
    int showdown(int, int, int, int) { if (heap.size() > 30) { std::pop_heap(heap.begin(), heap.end()); heap.pop_back(); } return 0; }
};
