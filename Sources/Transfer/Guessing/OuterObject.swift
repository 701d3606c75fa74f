import HoldfastJSON

/// The kind of a JSON text, found by the own members of its first object. The text may be cut.
enum OuterObject {
    /// A FeatureCollection, or a Feature of GeoJSON.
    case features
    /// One object with a list of objects, as Realm Studio exports the objects of a class, with the name of that list.
    case lists(first: String)
    /// All objects of a realm in one array of values, as Realm Studio exports them since version 13.
    case flatted
    /// Anything else.
    case object

    /// Looks at a text without a byte order mark. Cost: linear.
    init(_ text: UnsafeRawBufferPointer) {
        self = .object
        var index = Self.skipBlanks(text, 0)
        if Self.isFlatted(text, index) { self = .flatted }
        guard index < text.count, text[index] == UInt8(ascii: "{") else { return }
        var extent = JSONExtent()
        // The names and texts that the object itself has.
        var strings: [String] = []
        var stringStart: Int?
        var listName: String?
        index += 1
        while index < text.count {
            let byte = text[index]
            let isOutermost = extent.isOutermost
            if isOutermost, byte == UInt8(ascii: "[") {
                if strings.last == "features", strings.contains("FeatureCollection") {
                    self = .features
                    return
                }
                if strings.count == 1, Self.isObjectNext(text, index + 1) { listName = strings[0] }
            }
            if extent.ends(with: byte) {
                if Self.isFeature(strings) {
                    self = .features
                    return
                }
                // Further objects follow an object of NDJSON.
                guard let listName, Self.skipBlanks(text, index + 1) == text.count else { return }
                self = .lists(first: listName)
                return
            }
            if isOutermost, byte == UInt8(ascii: "\"") {
                stringStart = index + 1
            } else if let start = stringStart, extent.isOutermost {
                if strings.count < Self.stringCountMax {
                    strings.append(String(decoding: text[start..<index], as: UTF8.self))
                }
                stringStart = nil
            }
            index += 1
        }
        if let listName { self = .lists(first: listName) }
    }

    /// The members that may stand in front of the features.
    private static let stringCountMax = 64

    /// Whether the own names and texts of an object are those of a Feature.
    private static func isFeature(_ strings: [String]) -> Bool {
        guard let type = strings.firstIndex(of: "type"), strings[(type + 1)...].first == "Feature"
        else { return false }
        return strings.contains("geometry") && strings.contains("properties")
    }

    /// Whether a text begins with the classes of a realm and the objects of one: `[{"Class":"1"},["2","3"],`.
    private static func isFlatted(_ text: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        guard start < text.count, text[start] == UInt8(ascii: "["), isObjectNext(text, start + 1)
        else { return false }
        let first = skipBlanks(text, start + 1)
        var extent = JSONExtent()
        var end = first + 1
        while end < text.count, !extent.ends(with: text[end]) { end += 1 }
        let comma = skipBlanks(text, end + 1)
        guard comma < text.count, text[comma] == UInt8(ascii: ",") else { return false }
        let next = skipBlanks(text, comma + 1)
        guard next < text.count, text[next] == UInt8(ascii: "[") else { return false }
        let parser = JSONParser()
        let classes = try? parser.parse(
            UnsafeRawBufferPointer(rebasing: text[first...end]), depthMax: 2)
        guard let classes, classes.count > 0 else { return false }
        return classes.members.allSatisfy { $0.value.string.flatMap { Int($0) } != nil }
    }

    private static func isObjectNext(_ text: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        let index = skipBlanks(text, start)
        return index < text.count && text[index] == UInt8(ascii: "{")
    }

    private static func skipBlanks(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var index = start
        while index < text.count, text[index] <= 0x20 { index += 1 }
        return index
    }
}
