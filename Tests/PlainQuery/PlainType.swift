import HoldfastObjectModel

/// What kind of values a side of a comparison has, as far as the schema tells.
enum PlainType: Equatable {
    /// A scalar; integers of all widths are one type.
    case scalar(ScalarType)
    /// Objects of a class.
    case link(String)
    /// An embedded object.
    case embedded
    /// The kinds of `mixed` values.
    case kinds

    var isNumeric: Bool {
        switch self {
        case .scalar(.int), .scalar(.float), .scalar(.double), .scalar(.decimal128): true
        default: false
        }
    }
}
