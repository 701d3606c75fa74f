import HoldfastObjectModel

/// A value of its user that a rule asks for.
package enum UserReference: Hashable, Sendable {
    /// `$user.id`: the text by which the user is known.
    case id
    /// `$user.groups`, `$user.org.unit`, `$user['https://example.com/roles']`: a claim, by the names that lead to it.
    case claim([String])
    /// `$user.object.team`: the value of the path from the user's object.
    case object(ValuePath)
}

/// A place in the text of a rule that asks for a value of its user.
struct UserPlace: Sendable {
    let reference: UserReference
    /// The bytes of the text.
    let range: Range<Int>
}

extension UserReference {
    package static func == (a: UserReference, b: UserReference) -> Bool {
        switch (a, b) {
        case (.id, .id): true
        case (.claim(let a), .claim(let b)): a.isSame(as: b)
        case (.object(let a), .object(let b)): a == b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .id: break
        case .claim(let names): names.hashBytes(into: &hasher)
        case .object(let path): hasher.combine(path)
        }
    }
}
