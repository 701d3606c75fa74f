import HoldfastObjectModel

/// The choice of a primary key, and of properties with an index.
enum KeyGuess {
    private static let keyWords: Set<String> = [
        "id", "uuid", "guid", "oid", "key", "code", "nr", "no", "number", "nummer", "iso", "sku",
        "isbn", "slug", "schluessel",
    ]

    /// Finds the primary key and adds its reason; nil if no property is sure to be one.
    ///
    /// - `objectCount`: The objects of the sample.
    static func primaryKey(
        _ properties: inout [GuessedProperty], of className: String, _ objectCount: Int
    ) -> String? {
        var best: (rank: Int, index: Int)?
        for (index, property) in properties.enumerated() where property.isUnique {
            guard let found = rank(property, index, className, objectCount),
                found < best?.rank ?? .max
            else { continue }
            best = (found, index)
        }
        guard let best else { return nil }
        properties[best.index].clauses.append(
            "the values are unique and present in each object, so it is the primary key")
        return properties[best.index].name
    }

    /// The rank of a property that may be the primary key, the lowest first; nil for one that only happens to be unique.
    private static func rank(
        _ property: GuessedProperty, _ index: Int, _ className: String, _ objectCount: Int
    ) -> Int? {
        let words = PropertyNames.words(of: property.name)
        let own = PropertyNames.words(of: className).joined()
        let singular = own.hasSuffix("s") ? String(own.dropLast()) : own
        if ["id", own + "id", singular + "id"].contains(words.joined()) { return 0 }
        if words.count == 1, keyWords.contains(words[0]) { return 1 }
        // Keys of other objects may be unique in a sample.
        if words.last == "id" || words.last == "uuid" { return nil }
        if index == 0, objectCount > 1, let scalar = property.scalar, scalar != .string { return 2 }
        return nil
    }

    /// Has the store index the properties by which single objects are found, and adds the reasons.
    static func addIndexes(_ properties: inout [GuessedProperty], besides primaryKey: String?) {
        for index in properties.indices where properties[index].name != primaryKey {
            let property = properties[index]
            guard property.isUnique, let last = PropertyNames.words(of: property.name).last,
                keyWords.contains(last) || last == "email" || last == "mail"
            else { continue }
            properties[index].isIndexed = true
            properties[index].clauses.append(
                "the values are unique and its name is that of a key, so it is indexed")
        }
    }
}
