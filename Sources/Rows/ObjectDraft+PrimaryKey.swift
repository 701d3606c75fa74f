import ObjectModel

extension ObjectDraft {
    /// The stated primary key; nil when the draft does not state one or its class has none.
    package var primaryKey: Value? {
        guard let member = rowClass.primaryKeyIndex else { return nil }
        let field = fields[member]
        switch field.state {
        case .null: return .null
        case .heap:
            return .string(
                String(decoding: arenaBytes(start: field.start, count: field.count), as: UTF8.self))
        case .inline:
            return withUnsafeBytes(of: (field.low, field.high)) { bytes in
                guard let address = bytes.baseAddress else { return nil }
                switch rowClass.members[member].storage.element {
                case .int: return .int(address.storedInt)
                case .objectID: return .objectID(address.storedObjectID)
                case .uuid: return .uuid(address.storedUUID)
                default: return nil
                }
            }
        default: return nil
        }
    }
}
