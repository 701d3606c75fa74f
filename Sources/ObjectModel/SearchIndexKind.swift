/// The kind of an index that is not one of whole values in their order. Raw values are stored.
package enum SearchIndexKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The words of texts.
    case fullText = 1
    /// Points, by the region of the Earth that they lie in.
    case geo = 2

    /// As schemas have it.
    package var name: String {
        switch self {
        case .fullText: "fulltext"
        case .geo: "geo"
        }
    }

    /// The kind of a name; nil when there is none.
    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
