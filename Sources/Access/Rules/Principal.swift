import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastQuery
import Synchronization

/// The principal of a request, as rules see it: a user with claims, a token limited to some classes, or an anonymous visitor.
/// Immutable; any thread may use it.
package final class Principal: Sendable {
    /// The id of the user; nil for an anonymous visitor.
    package let user: String?
    /// The claims about the user.
    package let claims: Claims
    /// The only classes that the request may use, by name; empty for all.
    package let classes: Set<ExactText>
    /// The token whose right decides on access to these classes; nil if the access document decides.
    package let token: TokenRight?
    /// The version at which the token's terms last changed what the principal may read; 0 if they never did.
    let accessVersion: UInt64
    /// The number of the user; 0 until it is first requested.
    let knownNumber = Atomic<UInt64>(0)
    /// The parsed claims; nil until a rule first reads one.
    private let knownClaims = Mutex<ClaimTree?>(nil)

    /// A right, with the token that has it.
    package struct TokenRight: Sendable, Hashable {
        let number: UInt64
        let right: Right
    }

    /// Makes the principal of a user or an anonymous visitor.
    ///
    /// - Parameters:
    ///   - user: The id; nil for an anonymous visitor.
    ///   - claims: The claims about the user.
    ///   - classes: The only classes that the request may use; empty for all.
    ///   - accessVersion: The version at which the terms of a token of the store last changed what it may read.
    package init(
        user: String?, claims: Claims = .none, classes: [String] = [], accessVersion: UInt64 = 0
    ) {
        self.user = user
        self.claims = claims
        self.classes = Set(texts: classes)
        self.accessVersion = accessVersion
        token = nil
    }

    /// Makes the principal of a token that is limited to some classes. Its right applies to these.
    package init(token number: UInt64, _ right: Right, classes: [String], accessVersion: UInt64) {
        (user, claims) = (nil, .none)
        self.classes = Set(texts: classes)
        self.accessVersion = accessVersion
        token = TokenRight(number: number, right: right)
    }

    /// The anonymous visitor: a request without a token, if there is an access document.
    package static let nobody = Principal(user: nil)

    /// The claims about the user, as values. Cost: linear in the claims, the first time only.
    var claimTree: ClaimTree {
        knownClaims.withLock { known in
            if let known { return known }
            let tree = ClaimTree(claims)
            known = tree
            return tree
        }
    }
}

extension Principal {
    /// The user's number, which owns the work that the user began, with whichever token; nil for an anonymous visitor.
    ///
    /// It differs from token numbers, as far as random numbers differ. Cost: a keyed hash, the first time only.
    ///
    /// - `key`: A secret of the store that never changes. So the number is the same in every process, and cannot be chosen.
    package func number(_ key: [UInt8]) -> UInt64? {
        guard let user else { return nil }
        let known = knownNumber.load(ordering: .relaxed)
        if known != 0 { return known }
        let name = ByteBuffer(capacity: 64)
        name.append("holdfast user 1")
        name.append(user)
        guard let code = name.authenticationCode(under: key) else { return nil }
        let number = code.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } | 1
        knownNumber.store(number, ordering: .relaxed)
        return number
    }
}

/// The claims about a user, as values that rules compare.
struct ClaimTree: Sendable {
    private enum Node {
        case value(UserValue)
        case members([ExactText: Node])
    }

    private var root: [ExactText: Node] = [:]

    /// Reads claims. Cost: linear in their text.
    init(_ claims: Claims) {
        guard !claims.text.isEmpty else { return }
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        guard let value = try? parser.value(of: Array(claims.text.utf8)) else { return }
        root = Self.members(of: value)
    }

    /// Returns the claim at a path of names; nil if there is none, or if no rule can compare with its value.
    func value(_ names: [String]) -> UserValue? {
        var members = root
        for name in names.dropLast() {
            guard case .members(let inner)? = members[name] else { return nil }
            members = inner
        }
        guard case .value(let value)? = names.last.flatMap({ members[$0] }) else { return nil }
        return value
    }

    private static func members(of object: JSONValue) -> [ExactText: Node] {
        var members: [ExactText: Node] = [:]
        for member in object.members {
            members[String(decoding: member.name, as: UTF8.self)] = node(member.value)
        }
        return members
    }

    private static func node(_ value: JSONValue) -> Node? {
        switch value.kind {
        case .object: return .members(members(of: value))
        case .array:
            guard value.count <= UserValue.countMax else { return nil }
            // A list with an element that is not a scalar matches nothing.
            return .value(.many(value.elements.map { scalar($0) ?? .null }))
        default: return scalar(value).map { .value(.one($0)) }
        }
    }

    private static func scalar(_ value: JSONValue) -> Value? {
        switch value.kind {
        case .bool: value.bool.map { .bool($0) }
        case .integer: value.exactInt64.map { .int($0) }
        case .double: value.double.map { .double($0) }
        case .string: value.string.map { .string($0) }
        case .null, .array, .object: nil
        }
    }
}
