import HoldfastObjectModel

extension Results {
    /// The least value of a property; nil where there is none.
    public func min<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate("min", property)
    }
    /// The greatest value of a property; nil where there is none.
    public func max<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate("max", property)
    }
    /// The sum of a property's values; 0 of none.
    public func sum<T: _QueryOrdered>(ofProperty property: String) -> T {
        aggregate("sum", property) ?? T._unset()
    }
    /// The mean of a property's values; nil of none.
    public func average<T: _QueryOrdered>(ofProperty property: String) -> T? {
        aggregate("avg", property)
    }

    /// The least value of a property; nil where there is none.
    public func min<T: _QueryOrdered>(of keyPath: KeyPath<Element, T>) -> T? {
        min(ofProperty: Self.name(keyPath))
    }
    /// The greatest value of a property; nil where there is none.
    public func max<T: _QueryOrdered>(of keyPath: KeyPath<Element, T>) -> T? {
        max(ofProperty: Self.name(keyPath))
    }
    /// The sum of a property's values; 0 of none.
    public func sum<T: _QueryOrdered>(of keyPath: KeyPath<Element, T>) -> T {
        sum(ofProperty: Self.name(keyPath))
    }
    /// The mean of a property's values; nil of none.
    public func average<T: _QueryOrdered, Mean: _QueryOrdered>(of keyPath: KeyPath<Element, T>)
        -> Mean?
    {
        average(ofProperty: Self.name(keyPath))
    }

    static func name<T>(_ keyPath: KeyPath<Element, T>) -> String {
        KeyPathNames.names(of: keyPath).joined(separator: ".")
    }

    private func aggregate<T: _QueryOrdered>(_ function: String, _ property: String) -> T? {
        do {
            guard let value = try core.aggregate(function, of: property) else { return nil }
            return T._converted(value.anyValue, StatedValues(reader: ValueReader()))
        } catch {
            Misuse.end("'\(function)' can't be calculated of '\(property)': \(error.message)")
        }
    }
}

extension Value {
    /// The value as a program has it.
    var anyValue: Any {
        switch self {
        case .bool(let value): value
        case .int(let value): Int(value)
        case .double(let value): value
        case .float(let value): value
        case .decimal(let value): Decimal128(value)
        case .string(let value): value
        case .date(let value): value.foundationDate
        default: AnyRealmValue.none
        }
    }
}
