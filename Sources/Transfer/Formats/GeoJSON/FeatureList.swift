/// The place where the features of a FeatureCollection begin: the array of its member `features`, found while its
/// text comes in.
struct FeatureList {
    /// The last text among the object's own names and values, with its closing quote, or the beginning of a longer one.
    private var text: [UInt8] = []
    private var isInText = false

    /// The name of the member, with its closing quote.
    private static let name = Array("features\"".utf8)

    /// Takes the next byte of an object. Returns whether it begins the array.
    ///
    /// - `extent`: The extent of the object before the byte.
    mutating func begins(with byte: UInt8, _ extent: JSONExtent) -> Bool {
        if isInText {
            isInText = extent.isInString
            if isInText {
                if text.count <= Self.name.count { text.append(byte) }
                return false
            }
        }
        guard extent.isOutermost else { return false }
        if byte == UInt8(ascii: "\"") {
            text.removeAll(keepingCapacity: true)
            isInText = true
        }
        return byte == UInt8(ascii: "[") && text == Self.name
    }
}
