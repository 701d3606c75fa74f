import HoldfastObjectModel

/// What is unique, looked at pair by pair.
extension ReferenceObjects {
    /// Whether two objects share what no two objects of their class may share.
    var sharesUniqueValues: Bool {
        classes.values.contains { objectClass in
            let keys =
                objectClass.properties.filter(\.isUnique).map { [$0.name] }
                + objectClass.uniqueGroups
            if keys.isEmpty { return false }
            let contents = objects.filter { $0.key.className == objectClass.name }
                .map(\.value.content)
            return keys.contains { Self.isShared($0, contents) }
        }
    }

    private static func isShared(_ names: [String], _ contents: [ObjectContent]) -> Bool {
        let values = contents.map { content in
            // What the store makes up is never the same.
            names.compactMap { name -> Value? in
                guard case .value(let value)? = content[name], value != .null else { return nil }
                return value
            }
        }.filter { $0.count == names.count }
        return values.indices.contains { index in
            values[..<index].contains { zip($0, values[index]).allSatisfy(Value.areEqual) }
        }
    }
}

extension Value {
    /// Whether neither value comes before the other, as of numbers of different kinds that are equal.
    static func areEqual(_ a: Value, _ b: Value) -> Bool { !a.precedes(b) && !b.precedes(a) }
}

extension ObjectClass {
    /// Whether the store numbers objects that state no primary key.
    var numbersKeys: Bool {
        properties.first { $0.name == primaryKey }?.defaultValue == .next
    }
}
