/// Why a shape is not a valid region.
package struct GeoFault: Error, Hashable, Sendable {
    /// A sentence for a person, in Realm's words where it has some.
    package var message: String
    /// Whether a bound is exceeded, rather than that the shape makes no sense.
    package var isLimit: Bool

    init(_ message: String, isLimit: Bool = false) {
        self.message = message
        self.isLimit = isLimit
    }
}
