extension ScalarType {
    /// Whether a value of the type can be the id of a user.
    package var canBeUser: Bool { canBePrimaryKey }

    /// Returns the value that stands for a user; nil if no value of the type does.
    ///
    /// Two texts, such as 7 and 07, or a uuid in small letters and in capitals, are two users: one of them has the value.
    package func value(ofUser id: String) -> Value? {
        var text = id
        let value: Value? =
            switch self {
            case .string: .string(id)
            case .uuid:
                text.withUTF8 { UUID128(text: UnsafeRawBufferPointer($0)) }.map { .uuid($0) }
            case .objectID:
                text.withUTF8 { ObjectID(text: UnsafeRawBufferPointer($0)) }.map { .objectID($0) }
            case .int, .int8, .int16, .int32, .int64:
                Int64(id).flatMap { integerRange?.contains($0) == true ? .int($0) : nil }
            case .bool, .float, .double, .decimal128, .data, .date, .mixed: nil
            }
        return value.flatMap { ($0.keyText ?? id).isSame(as: id) ? $0 : nil }
    }
}

extension Value {
    /// The one text that is a user's id with this value as the key of their object; nil for a value that is a text
    /// itself, or no key.
    package var keyText: String? {
        switch self {
        case .int(let number): String(number)
        case .uuid(let id): id.description
        case .objectID(let id): id.description
        default: nil
        }
    }
}
