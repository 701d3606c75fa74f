/// How texts are compared.
public struct StringOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int
    /// Options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// Letters of both cases are equal.
    public static let caseInsensitive = StringOptions(rawValue: 1)
    /// Letters with and without accents are equal.
    public static let diacriticInsensitive = StringOptions(rawValue: 2)

    var text: String {
        switch (contains(.caseInsensitive), contains(.diacriticInsensitive)) {
        case (true, true): "[cd]"
        case (true, false): "[c]"
        case (false, true): "[d]"
        case (false, false): ""
        }
    }
}
