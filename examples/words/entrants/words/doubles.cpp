// doubles: a word that ends as it begins leaves the other one the same letter.

#include <string>

void say(const View *view, char answer[13])
{
    static int count;
    char letter = char('a' + view->letter - A);
    std::string word = std::string(1, letter) + std::string(++count % 10 + 1, 'o') + letter;
    strcpy(answer, word.c_str());
}
