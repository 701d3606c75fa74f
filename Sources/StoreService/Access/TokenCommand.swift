import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// A command of an operator to list or change the tokens of a store, which has a form as text.
package enum TokenCommand: Sendable, Equatable {
    /// Lists them.
    case list
    /// Stores the token of a hash.
    case create(TokenMembers, hash: TokenHash)
    /// Changes the terms of a token.
    case change(name: String, TokenMembers)
    /// Ends a token.
    case revoke(name: String)

    /// Does it.
    ///
    /// - Returns: The text for the operator: for a list a line for each token, else nothing.
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

    /// Its word and, behind a blank, a JSON object.
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

    /// Reads the text of a command; nil when it is none.
    init?(text: Substring) {
        let words = text.split(separator: " ", maxSplits: 1)
        let parser = JSONParser()
        guard words.count == 2 else { return nil }
        let command = Array(words[1].utf8).withUnsafeBytes { bytes -> TokenCommand? in
            guard let body = try? parser.parse(bytes) else { return nil }
            let name = body.member(named: "name")?.string
            let members = body.member(named: "token").flatMap { try? TokenMembers($0) }
            let hash = body.member(named: "hash")?.string.flatMap {
                TokenHash(hexadecimal: $0[...])
            }
            switch (words[0], body.count) {
            case ("list", 0): return .list
            case ("create", 2):
                guard let members, let hash else { return nil }
                return .create(members, hash: hash)
            case ("change", 2):
                guard let name, let members else { return nil }
                return .change(name: name, members)
            case ("revoke", 1): return name.map { .revoke(name: $0) }
            default: return nil
            }
        }
        guard let command else { return nil }
        self = command
    }
}

extension Token {
    fileprivate var line: String {
        Self.line(
            name, right: terms.right.rawValue, created: created.description, user: terms.user,
            classes: terms.classes, expires: terms.end?.description)
    }

    /// A token's line for an operator: its members with tabs between them, the last three where it has them.
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
