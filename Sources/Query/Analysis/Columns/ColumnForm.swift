import HoldfastRows

/// The form of a property's column in memory.
package indirect enum ColumnForm: Sendable, Equatable {
    /// Which objects there are; of no property.
    case presence
    /// Ints, bools, links, dates, doubles and floats.
    case numbers(ElementStorage)
    /// Strings and data, and as their bytes decimals, object identifiers and UUIDs.
    case texts(ElementStorage)
    /// Lists and sets of these.
    case collections(ColumnForm)

    /// The form of a property; nil for one that columns do not keep: maps, embedded objects and `mixed`.
    package init?(_ storage: FieldStorage) {
        guard let form = Self.form(storage.element) else { return nil }
        switch storage.shape {
        case .single: self = form
        case .list, .set: self = .collections(form)
        case .map, .none: return nil
        }
    }

    private static func form(_ element: ElementStorage) -> ColumnForm? {
        switch element {
        case .bool, .int, .link, .date, .double, .float: .numbers(element)
        case .string, .data, .decimal, .objectID, .uuid: .texts(element)
        case .embedded, .mixed: nil
        }
    }

    /// Whether values are kept as texts.
    static func isText(_ element: ElementStorage) -> Bool {
        if case .texts? = form(element) { true } else { false }
    }

    /// Whether NaN is the one exception of such values.
    static func hasNaN(_ element: ElementStorage) -> Bool {
        element == .double || element == .float
    }

    /// The most bytes of a text that a column keeps; a longer one is read in its row.
    static let textByteCountMax = 1024
    /// The most elements of a collection that a column keeps.
    static let elementCountMax = 256
}
