import Holdfast

let usage = """
    usage: contacts add NAME [CITY]
           contacts friends NAME NAME
           contacts rename NAME NAME
           contacts
    """

func run(_ words: [String]) throws {
    let contacts = Contacts(realm: try Realm())
    switch (words.first, words.count) {
    case (nil, _):
        for page in contacts.pages {
            print(page.key)
            for card in page { print("  " + card.line) }
        }
    case ("add", 2...3):
        try contacts.add(words[1], city: words.count > 2 ? words[2] : nil)
    case ("friends", 3):
        try contacts.befriend(words[1], words[2])
    case ("rename", 3):
        try contacts.rename(words[1], words[2])
    default:
        throw Fault(usage)
    }
}

do { try run(Array(CommandLine.arguments.dropFirst())) } catch {
    FileHandle.standardError.write(Data("contacts: \(error)\n".utf8))
    exit(1)
}
