import HoldfastObjectJSON

/// A command of an operator to list or change the tokens of a store, which has a form as text.
package enum TokenCommand: Sendable, Equatable {
    /// Lists them.
    case list
    /// Stores the token of a hash.
    case create(name: String, right: Right, hash: TokenHash)
    /// Gives a token another right.
    case change(name: String, right: Right)
    /// Ends a token.
    case revoke(name: String)

    /// Does it.
    ///
    /// - Returns: The text for the operator: for a list a line for each token, else nothing.
    package func run(_ tokens: StoredTokens) throws(RequestFault) -> String {
        switch self {
        case .list:
            return try tokens.read().tokens.map {
                "\($0.name)\t\($0.right.rawValue)\t\($0.created)\n"
            }.joined()
        case .create(let name, let right, let hash): _ = try tokens.add(name, right, hash)
        case .change(let name, let right): _ = try tokens.setRight(of: name, to: right)
        case .revoke(let name): try tokens.revoke(name)
        }
        return ""
    }

    // MARK: Text

    /// Its words, with blanks between them.
    var text: String {
        switch self {
        case .list: "list"
        case .create(let name, let right, let hash):
            "create \(name) \(right.rawValue) \(hash.hexadecimal)"
        case .change(let name, let right): "change \(name) \(right.rawValue)"
        case .revoke(let name): "revoke \(name)"
        }
    }

    /// Reads the words of a command; nil when they are none.
    init?(words: [Substring]) {
        func name() -> String { words.count > 1 ? String(words[1]) : "" }
        func right() -> Right? { words.count > 2 ? Right(rawValue: String(words[2])) : nil }
        switch (words.first, words.count) {
        case ("list", 1): self = .list
        case ("create", 4):
            guard let right = right(), let hash = TokenHash(hexadecimal: words[3]) else {
                return nil
            }
            self = .create(name: name(), right: right, hash: hash)
        case ("change", 3):
            guard let right = right() else { return nil }
            self = .change(name: name(), right: right)
        case ("revoke", 2): self = .revoke(name: name())
        default: return nil
        }
    }
}
