// gnu++11: what happens before the first decision: objects built in order, tables filled by constructors, statics in functions
#include "texas.h"
#include <map>
#include <string>
#include <vector>

static std::string order;
struct Loud { char name; Loud(char n) : name(n) { order += n; } ~Loud() { order += '~'; } };
static Loud first('1'), second('2');
struct Table {
    std::vector<std::vector<int>> rows;
    Table() : rows(500, std::vector<int>(500)) { for (int i = 0; i < 500; ++i) for (int j = 0; j < 500; ++j) rows[i][j] = i && j ? (rows[i - 1][j] + rows[i][j - 1] + i * j) % 1009 : i + j; }
};
static const Table table;
static const std::map<std::string, int> names = {{"one", 1}, {"two", 2}, {"three", 3}};
static Loud &late() { static Loud object('3'); return object; }
__attribute__((constructor)) static void early() { order += 'c'; }

std::pair<ActionType, int> makeDecision(const State &state)
{
    int h = table.rows[state.alice[0].value * 30][state.alice[1].value * 30] + names.at("three") + late().name;
    { Loud here('h'); }
    for (char c : order)
        h = (h * 31 + c) % 1000003;
    if (order.size() > 50)
        order.resize(3);
    return {ActionType::RAISE, 1 + h};
}
