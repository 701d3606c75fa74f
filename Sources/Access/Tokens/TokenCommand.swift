import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// An operator's command to list or change the tokens of a store. It can be written as text.
package enum TokenCommand: Sendable, Equatable {
    case list
    /// Stores the token of a hash.
    case create(TokenMembers, hash: TokenHash)
    /// Changes the terms of a token.
    case change(name: String, TokenMembers)
    case revoke(name: String)

    /// Runs the command.
    ///
    /// - Returns: The text for the operator: one line for each token of a list, otherwise empty.
    package func run(_ tokens: StoredTokens) throws(RequestFault) -> String {
        switch self {
        case .list: return try tokens.read().tokens.map { $0.line }.joined()
        case .create(let members, let hash):
            let (name, terms) = try members.new()
            _ = try tokens.add(name, terms, hash)
        case .change(let name, let members): _ = try tokens.change(name, members)
        case .revoke(let name): try tokens.revoke(name)
        }
        return ""
    }

    // MARK: Text

    /// The command's word, a blank, and a JSON object.
    var text: String {
        let buffer = ByteBuffer(capacity: 256)
        let writer = JSONWriter(buffer)
        switch self {
        case .list: buffer.append("list {}")
        case .create(let members, let hash):
            buffer.append("create ")
            writer.object { object in
                members.write(to: object.member("token"))
                object.member("hash").string(hash.hexadecimal)
            }
        case .change(let name, let members):
            buffer.append("change ")
            writer.object { object in
                object.member("name").string(name)
                members.write(to: object.member("token"))
            }
        case .revoke(let name):
            buffer.append("revoke ")
            writer.object { $0.member("name").string(name) }
        }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Reads the text of a command; nil if the text is not a command.
    ///
    /// The values are checked only when the command is run, so an expiry may have passed since the operator gave it.
    ///
    /// - Throws: ``RequestFault`` as ``TokenMembers/init(_:)``.
    init?(text: Substring) throws(RequestFault) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2 else { return nil }
        let parser = JSONParser()
        defer { withExtendedLifetime(parser) {} }
        guard let body = Array(words[1].utf8).withUnsafeBytes({ try? parser.parse($0) }),
            let command = try Self.read(words[0], body)
        else { return nil }
        self = command
    }

    private static func read(
        _ word: Substring, _ body: JSONValue
    ) throws(RequestFault) -> TokenCommand? {
        let name = body.member(named: "name")?.string
        let token = body.member(named: "token")
        let hash = body.member(named: "hash")?.string.flatMap { TokenHash(hexadecimal: $0[...]) }
        switch (word, body.count) {
        case ("list", 0): return .list
        case ("create", 2):
            guard let token, let hash else { return nil }
            return .create(try TokenMembers(token), hash: hash)
        case ("change", 2):
            guard let name, let token else { return nil }
            return .change(name: name, try TokenMembers(token))
        case ("revoke", 1): return name.map { .revoke(name: $0) }
        default: return nil
        }
    }
}

extension Token {
    fileprivate var line: String {
        Self.line(
            name, right: terms.right.rawValue, created: created.description, user: terms.user,
            classes: terms.classes, expires: terms.end?.description)
    }

    /// A token's line for an operator: its members, separated by tabs. The last three are omitted if the token lacks them.
    package static func line(
        _ name: String, right: String, created: String, user: String?, classes: [String],
        expires: String?
    ) -> String {
        let others = [
            user.map { "user=" + $0 },
            classes.isEmpty ? nil : "classes=" + classes.joined(separator: ","),
            expires.map { "expires=" + $0 },
        ]
        return ([name, right, created] + others.compactMap(\.self)).joined(separator: "\t") + "\n"
    }
}
