import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastQuery

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

    /// Returns the claim that names lead to; nil where there is none, or one that nothing compares with.
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
            // An element that is no value has the list fit nothing.
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
