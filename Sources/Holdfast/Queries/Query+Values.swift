extension Query where T == AnyRealmValue {
    /// The element at a position, of a value that is a list.
    public subscript(position: Int) -> Query<AnyRealmValue> {
        if position < 0 { Misuse.end("Cannot use a negative value \(position) as an index.") }
        return Query(path.indexed("\(position)"))
    }

    /// The value of a key, of a value that is a dictionary.
    public subscript(key: String) -> Query<AnyRealmValue> {
        Query(path.indexed(QueryExpression.quoted(key)))
    }

    /// The elements or values, of a value that is a list or dictionary, of which one has to meet a comparison.
    public var any: Query<AnyRealmValue> {
        var path = path.indexed("*")
        path.collectionEnds.append(path.steps.count)
        return Query(path)
    }
}

extension QueryExpression {
    /// A text in the quotes of the query language.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
