/// A limit or behaviour of the service that an option sets: the one declaration of its name, its
/// meaning and the field that stores it. The options of `holdfast serve`, their variables and defaults, and the
/// limits that `GET /v1` lists derive from it.
package struct Limit: Sendable {
    /// The written form of the value.
    package enum Form: Sendable, Equatable {
        /// Bytes, such as `32MiB`, of at least so many.
        case size(min: Int)
        /// Seconds, such as `60s` or `7d`.
        case duration
        /// A number.
        case count(ClosedRange<Int>)

        /// A size that is not nothing.
        package static let size = Form.size(min: 1)
    }

    /// The option without its dashes, such as `max-body`.
    package let option: String
    /// How the value is written.
    package let form: Form
    /// The description, one line.
    package let text: String
    /// The code of what is refused, or ends, because of it; nil where nothing is.
    package let code: String?
    /// Where the value is kept: in bytes, seconds or pieces.
    package let path: WritableKeyPath<ServiceOptions, Int> & Sendable

    init(
        _ option: String, _ form: Form, _ text: String, _ code: String?,
        _ path: WritableKeyPath<ServiceOptions, Int> & Sendable
    ) {
        self.option = option
        self.form = form
        self.text = text
        self.code = code
        self.path = path
    }

    /// Its name in `GET /v1`: the option's without `max`, such as `body`, `importLine` or `exportRateMin`.
    package var name: String {
        let words = option.split(separator: "-").filter { $0 != "max" }
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }

    /// The default, as the option is written.
    package var defaultText: String {
        let value = ServiceOptions()[keyPath: path]
        let units: [(String, Int)] =
            switch form {
            case .size: [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)]
            case .duration: [("d", 86_400), ("h", 3600), ("s", 1)]
            case .count: [("", 1)]
            }
        let unit = units.first { value >= $0.1 && value % $0.1 == 0 }
        return "\(value / (unit?.1 ?? 1))\(unit?.0 ?? "")"
    }
}
