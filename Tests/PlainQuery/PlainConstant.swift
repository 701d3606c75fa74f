import HoldfastObjectModel

/// A constant of a query.
struct PlainConstant {
    enum Kind: Equatable {
        case value(Value)
        /// An object of a class by its primary key.
        case object(String, Value)
        /// The declared type of a property, and its name among the kinds.
        case type(of: String, String)
    }

    var kind: Kind
    /// Whether it is handed over beside the text.
    var isArgument: Bool
    /// Whether, as an argument, it is handed over as a text that is read in the type beside it.
    var isPlainText = false

    /// Null, written as such.
    static let null = PlainConstant(kind: .value(.null), isArgument: false)

    var isNull: Bool { kind == .value(.null) }
}

extension PlainWorld {
    /// The value of a constant beside what has a type.
    func value(_ constant: PlainConstant, beside type: PlainType) -> Value {
        let value: Value
        switch constant.kind {
        case .object(let className, let key):
            // An object that is not there equals nothing.
            return link(className, key) ?? .link(className: className, key: .null)
        case .value(let own): value = own
        case .type(_, let name): return .int(PlainKinds.named(name))
        }
        switch (type, value) {
        case (.kinds, .string(let name)): return .int(PlainKinds.named(name))
        case (.kinds, .null): return .int(PlainKinds.named("null"))
        case (.scalar(.int), .string(let text)): return Int64(text).map { .int($0) } ?? value
        case (.scalar(.float), .string(let text)): return Float(text).map { .float($0) } ?? value
        case (.scalar(.double), .string(let text)): return Double(text).map { .double($0) } ?? value
        case (.scalar(.decimal128), .string(let text)):
            return Decimal128(text).map { .decimal($0) } ?? value
        case (.scalar(.float), .double(let number)):
            let near = Float(number)
            return near.isInfinite && number.isFinite ? value : .float(near)
        // A literal counts with all its digits.
        case (.scalar(.decimal128), .double(let number)):
            let exact = constant.isArgument ? nil : Decimal128("\(number)")
            return .decimal(exact ?? Decimal128(rounding: number, digitCount: 15))
        default: return value
        }
    }
}
