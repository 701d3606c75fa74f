import HoldfastRows

/// The names under which a `mixed` value stands in JSON when JSON has no form of its own for it.
enum MixedForm: String, CaseIterable {
    case int = "$int"
    case double = "$double"
    case float = "$float"
    case decimal = "$decimal"
    case data = "$data"
    case date = "$date"
    case objectID = "$objectId"
    case uuid = "$uuid"
    case link = "$link"
    /// In transactions, the key of an object that another operation makes.
    case reference = "$ref"

    /// The forms with an example each, for messages.
    static let examples =
        "{\"$int\":\"42\"}, {\"$double\":\"NaN\"}, {\"$float\":1.5}, {\"$decimal\":\"1.10\"}, "
        + "{\"$data\":\"<base64>\"}, {\"$date\":\"<RFC 3339>\"}, {\"$objectId\":\"…\"}, "
        + "{\"$uuid\":\"…\"}"

    init?(_ name: UnsafeRawBufferPointer) {
        guard let form = Self.allCases.first(where: { name.elementsEqual($0.rawValue.utf8) }) else {
            return nil
        }
        self = form
    }

    /// The storage of a value of the form; nil for links.
    var element: ElementStorage? {
        switch self {
        case .int: .int
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .data: .data
        case .date: .date
        case .objectID: .objectID
        case .uuid: .uuid
        case .link, .reference: nil
        }
    }

    /// A description of the values under the name, for people.
    var takes: String {
        switch self {
        case .int: "an int of 64 bits, such as \"42\""
        case .double: "a number, \"NaN\", \"Infinity\" or \"-Infinity\""
        case .float: "a number within a float's range, \"NaN\", \"Infinity\" or \"-Infinity\""
        case .decimal: "a decimal number of at most 34 digits, such as \"1.10\""
        case .data: "a string of base64 (RFC 4648) for at most 16 MiB"
        case .date: "a date of RFC 3339, such as \"2026-11-20T06:38:58Z\""
        case .objectID: "a string of 24 hexadecimal digits"
        case .uuid: "a UUID, such as \"123e4567-e89b-12d3-a456-426614174000\""
        case .link: "a class and an id"
        case .reference: "a name"
        }
    }

    /// The code of the fault that says that something else stands there.
    var faultCode: String {
        switch self {
        case .int, .double, .float: "invalid-number"
        case .decimal: "invalid-decimal"
        case .data: "invalid-base64"
        case .date: "invalid-date"
        case .objectID: "invalid-object-id"
        case .uuid: "invalid-uuid"
        case .link: "invalid-link"
        case .reference: "invalid-ref"
        }
    }
}
