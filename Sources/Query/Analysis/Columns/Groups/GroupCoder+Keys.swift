import HoldfastRows

extension GroupCoder {
    /// Makes a coder of the keys of sections; nil where columns do not have them.
    convenience init?(_ key: SectionKey, _ schema: RowSchema) {
        guard let prefixCount = key.prefixCount else {
            self.init(GroupKey(path: key.path, part: .value), schema)
            return
        }
        guard let member = key.path.ownMember else { return nil }
        self.init(
            ColumnReference(classIndex: key.path.lastClass, member: member),
            TextCoding(.texts(.string, prefixCount: prefixCount)))
    }

    /// Makes a coder of what counts of a key's values; nil where columns do not have it.
    convenience init?(_ key: GroupKey, _ schema: RowSchema) {
        let path = key.path
        guard let member = Self.ownMember(path, schema) else {
            guard let far = FarValues(path, part: key.part, schema: schema) else { return nil }
            self.init(far)
            return
        }
        let reference = ColumnReference(classIndex: path.lastClass, member: member)
        if key.part != .value {
            guard let part = NumberPart(key) else { return nil }
            self.init(reference, NumberCoding(.part(part)))
            return
        }
        let storage = path.type.storage
        switch storage {
        case .int, .bool, .date, .link, .double, .float:
            self.init(reference, NumberCoding(.whole(storage)))
        case .string, .data, .uuid, .objectID:
            self.init(reference, TextCoding(.texts(storage, prefixCount: nil)))
        default: return nil
        }
    }

    /// The property of the root object whose value a path is, or whose elements.
    private static func ownMember(_ path: ValuePath, _ schema: RowSchema) -> Int? {
        guard path.steps.isEmpty, case .elements(let member) = path.terminal,
            [.list, .set].contains(schema.classes[path.lastClass].members[member].storage.shape)
        else { return path.ownMember }
        return member
    }
}
