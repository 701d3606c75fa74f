import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Finds the classes of a store to which values of a sample are links: each value is the key of an object there.
///
/// It reads from one view of the store. Cost: a look-up for each value, up to a bound, after which no links are found.
struct LinkGuess {
    /// A class that may be linked to, by its primary key.
    private struct Target {
        let rowClass: RowClass
        let name: String
        let keyName: String
        let scalar: ScalarType
    }

    private let read: ReadTransaction
    private let targets: [Target]
    private let key = ByteBuffer(capacity: 256)
    /// The look-ups that are left for all values together.
    private var restCount: Int
    /// Whether a value was not looked up, because no look-up was left.
    private var isSpent = false

    /// Finds links on a view.
    ///
    /// - `className`: The class that is guessed.
    init(_ read: ReadTransaction, besides className: String, lookUpCountMax: Int = 100_000) {
        self.read = read
        restCount = lookUpCountMax
        targets = read.rows.knownClasses.compactMap { rowClass -> Target? in
            let definition = rowClass.definition
            guard definition.kind == .object, !definition.name.isSame(as: className),
                let index = rowClass.primaryKeyIndex,
                case .single(.scalar(let scalar)) = definition.properties[index].type
            else { return nil }
            return Target(
                rowClass: rowClass, name: definition.name,
                keyName: definition.properties[index].name, scalar: scalar.widened)
        }
    }

    /// Makes a property a link if its values are keys of one class.
    ///
    /// The property's name tells the class. Without such a name all values have to be texts or identifiers, because small
    /// numbers are keys of many classes.
    ///
    /// - Throws: ``StoreError`` if the store can't be read.
    mutating func find(_ property: inout GuessedProperty) throws(StoreError) {
        guard let scalar = property.scalar?.widened, let texts = property.keyTexts, !texts.isEmpty
        else { return }
        let values = Set(texts: texts).texts
        let fitting = targets.filter { $0.scalar == scalar }
        let named = fitting.filter { Self.isName(property.name, of: $0) }
        let isTelling = scalar != .int && values.count > 1
        let tried = named.isEmpty && isTelling ? fitting : named
        var found: [Target] = []
        for target in tried where try holds(values, target) { found.append(target) }
        if isSpent, !tried.isEmpty {
            let owner = named.first.map { "class '\($0.name)'" } ?? "a class"
            property.clauses.append(
                "it is open whether the values are keys of \(owner), because the sample has too many to look up"
            )
            return
        }
        guard found.count == 1 else {
            if found.isEmpty, let target = named.first {
                property.clauses.append("not all values are keys of class '\(target.name)'")
            }
            return
        }
        property.type = .single(.object(found[0].name))
        property.isOptional = true
        property.clauses = [
            values.count == 1
                ? "the only value is a key of \(found[0].name)"
                : "each of the \(GuessWords.number(values.count)) different values is a key of "
                    + found[0].name
        ]
    }

    /// Whether each value is the key of an object.
    private mutating func holds(
        _ values: [String], _ target: Target
    ) throws(StoreError) -> Bool {
        for value in values {
            if restCount == 0 {
                isSpent = true
                return false
            }
            restCount -= 1
            if !read.budget.spend() { try read.checkFailure() }
            key.removeAll()
            let isKey = Array(value.utf8).withUnsafeBytes { bytes in
                (try? KeyText.append(path: bytes, of: target.rowClass, to: key)) != nil
            }
            guard isKey,
                try read.find(target.rowClass, primaryKey: key.bytes) != nil
            else { return false }
        }
        return true
    }

    /// Whether a property is named like a class, perhaps with a word for its key: `country`, `countryId`, `country_iso`.
    private static func isName(_ name: String, of target: Target) -> Bool {
        let words = PropertyNames.words(of: name)
        let wanted = PropertyNames.words(of: target.name).joined()
        let key = PropertyNames.words(of: target.keyName).joined()
        let endings: Set = ["id", "key", "code", "nr", "no", "number", "ref", key]
        var names = [words.joined()]
        if let last = words.last, words.count > 1, endings.contains(last) {
            names.append(words.dropLast().joined())
        }
        return names.contains { $0 == wanted || $0 == wanted + "s" }
    }
}
