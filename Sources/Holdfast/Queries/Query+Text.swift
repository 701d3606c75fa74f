/// Types whose values are texts or bytes, or may be.
public protocol _QueryText: _Persistable {}
extension String: _QueryText {}
extension Data: _QueryText {}
extension AnyRealmValue: _QueryText {}
extension Optional: _QueryText where Wrapped: _OptionalPersistable & _QueryText {}

extension Query where T: _QueryText {
    /// Whether the text has another one in it.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("CONTAINS\(options.text)", value)
    }
    /// Whether the text begins with another one.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared("BEGINSWITH\(options.text)", value)
    }
    /// Whether the text ends with another one.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
        compared("ENDSWITH\(options.text)", value)
    }
    /// Whether the text matches a pattern: `?` is any character, `*` any number of them.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
        compared(caseInsensitive ? "LIKE[c]" : "LIKE", value)
    }
    /// Whether the text is another one.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("==\(options.text)", value)
    }
    /// Whether the text is not another one.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
        compared("!=\(options.text)", value)
    }
}

/// The same with another text of the object.
extension Query where T: _QueryText {
    /// Whether the text has another one of the object in it.
    public func contains<U: _QueryText>(
        _ value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("CONTAINS\(options.text)", value)
    }
    /// Whether the text begins with another one of the object.
    public func starts<U: _QueryText>(
        with value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("BEGINSWITH\(options.text)", value)
    }
    /// Whether the text ends with another one of the object.
    public func ends<U: _QueryText>(
        with value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("ENDSWITH\(options.text)", value)
    }
    /// Whether the text matches the pattern that another one of the object is.
    public func like<U: _QueryText>(
        _ value: Query<U>, caseInsensitive: Bool = false
    ) -> Query<Bool> {
        compared(caseInsensitive ? "LIKE[c]" : "LIKE", value)
    }
    /// Whether the text is another one of the object.
    public func equals<U: _QueryText>(
        _ value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("==\(options.text)", value)
    }
    /// Whether the text is not another one of the object.
    public func notEquals<U: _QueryText>(
        _ value: Query<U>, options: StringOptions = []
    ) -> Query<Bool> {
        compared("!=\(options.text)", value)
    }
}
