import HoldfastObjectModel

/// A property that is guessed, with the reasons.
struct GuessedProperty {
    /// The property's name.
    let name: String
    /// The name in the text.
    let sourceName: String
    var type: PropertyType
    var isOptional = false
    var isIndexed = false
    var searchIndex: SearchIndexKind?
    /// The parts of the reason.
    var clauses: [String] = []
    /// The values as the texts of keys, without nulls, if a primary key may have the type; nil for other types.
    var keyTexts: [String]?
    /// Whether each object has a value.
    var isPresent = false

    /// The type of a single plain value; nil for other types.
    var scalar: ScalarType? {
        if case .single(.scalar(let scalar)) = type { scalar } else { nil }
    }

    /// Whether the values are present in each object, different, and short enough for keys.
    var isUnique: Bool {
        guard isPresent, let keyTexts, scalar?.canBePrimaryKey == true else { return false }
        let areKeys = keyTexts.allSatisfy { (1...Self.keyByteCountMax).contains($0.utf8.count) }
        return areKeys && Set(texts: keyTexts).count == keyTexts.count
    }

    /// The bytes of a text that may be a key.
    private static let keyByteCountMax = 256

    /// The property of a class.
    var property: Property {
        Property(
            name: name, type: type, isOptional: isOptional, isIndexed: isIndexed,
            searchIndex: searchIndex)
    }

    /// The reason as a sentence.
    var reason: String { GuessWords.sentence(clauses) }
}
