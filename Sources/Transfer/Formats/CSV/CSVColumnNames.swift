import HoldfastObjectModel

/// The names of columns, and the properties that they stand for.
struct CSVColumnNames {
    /// The forms of the columns that a class may have, by property.
    let known: [ExactText: (CSVShape.Column, Bool)]
    private let stated: ColumnNames

    /// - `stated`: The names that an option gives to columns.
    init(_ known: [ExactText: (CSVShape.Column, Bool)], _ stated: ColumnNames) {
        self.known = known
        self.stated = stated
    }

    /// The properties of columns; nil for a column that is left out, and an unknown name as it is.
    ///
    /// A name that is no property stands for the only one that differs from it in case, unless another column is
    /// that property, or an option names the column.
    func properties(_ texts: [String]) -> [String?] {
        var properties = texts.map(stated.property)
        var taken: Set<ExactText> = []
        for case let name? in properties where known[name] != nil { taken.insert(name) }
        var folded: [String: [String]]?
        for (index, text) in texts.enumerated() {
            guard let name = properties[index], known[name] == nil, !stated.names(text) else {
                continue
            }
            let names =
                folded ?? Dictionary(grouping: known.texts) { $0.lowercased() }
            folded = names
            guard let same = names[name.lowercased()], same.count == 1, !taken.contains(same[0])
            else { continue }
            properties[index] = same[0]
            taken.insert(same[0])
        }
        return properties
    }
}
