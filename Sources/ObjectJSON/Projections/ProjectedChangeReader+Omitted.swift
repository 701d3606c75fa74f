import JSON
import Text

extension ProjectedChangeReader {
    private static let omittedName = Array("$omitted".utf8)

    /// Checks `"$omitted"`, with which a reply names what it leaves out. A patch leaves what it does not
    /// state as it is, so that nothing has to be done for these properties.
    ///
    /// - `stated`: The positions of the properties that the object states.
    func check(_ json: JSONValue, _ projection: CompiledProjection, stated: Set<Int>) {
        func fault(
            _ code: String, _ detail: String, _ index: Int? = nil, hint: String? = nil
        ) {
            Self.omittedName.withUnsafeBytes {
                reader.fault(code, detail, at: $0, element: index, hint: hint)
            }
        }
        guard json.kind == .array else {
            return fault("wrong-type", "\"$omitted\" is an array of names of properties.")
        }
        for (index, element) in json.elements.enumerated() {
            guard let text = element.stringBytes else {
                fault(
                    "wrong-type",
                    "A name is a string; found \(ObjectReader.describe(element)).", index)
                continue
            }
            let name = ObjectReader.text(text)
            guard let position = projection.names.position(of: text, next: 0) else {
                fault(
                    "unknown-property",
                    "Projection '\(projection.definition.name)' has no property '\(name)'.", index,
                    hint: NearestName.of(name, among: projection.properties.map(\.name)))
                continue
            }
            if stated.contains(position) {
                fault(
                    "omitted-and-stated",
                    "'\(name)' is stated; leave it out of \"$omitted\", or keep it and do not state it.",
                    index)
            }
        }
    }
}
