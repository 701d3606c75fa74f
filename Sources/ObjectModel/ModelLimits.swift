/// The object model's own limits.
package enum ModelLimits {
    /// The most values of an enum.
    package static let caseCountMax = 1000
    /// The longest class name in bytes of UTF-8.
    package static let classNameByteCountMax = 57
    /// The longest property name in bytes of UTF-8.
    package static let propertyNameByteCountMax = 63
    /// The longest string and the longest data value in bytes.
    package static let valueByteCountMax = 16 * 1024 * 1024
    /// The longest key of a map in bytes of UTF-8; it is a string like any other.
    package static let keyByteCountMax = valueByteCountMax
    /// The most properties of one class; keeps rows' headers and change sets small.
    package static let propertyCountMax = 1_000
    /// The most projections of one store.
    package static let projectionCountMax = 1_000
    /// The number at which counting what a projection shows ends.
    static let projectedCountEnd = 1 << 30
    /// The most classes of one schema.
    package static let classCountMax = 1_000
    /// The most unique groups of one class.
    package static let uniqueGroupCountMax = 64
    /// The most properties of one unique group.
    package static let uniqueGroupPropertyCountMax = 16
    /// The greatest depth of embedded objects in one object.
    package static let embeddingDepthMax = 100
    /// The greatest depth of lists and maps in one `mixed` value.
    package static let mixedDepthMax = 100
}
