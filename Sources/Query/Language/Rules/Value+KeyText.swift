import HoldfastObjectModel

extension Value {
    /// The one text that is a user's id with this value as the key of their object; nil for a value that is a text itself, or no key.
    ///
    /// Two texts, such as 7 and 07, or a uuid in small letters and in capitals, are two users: one of them has the key.
    package var keyText: String? {
        switch self {
        case .int(let number): String(number)
        case .uuid(let id): id.description
        case .objectID(let id): id.description
        default: nil
        }
    }
}
