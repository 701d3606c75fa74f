extension ObjectBase: CustomStringConvertible {
    /// How deep links are followed.
    private static let depthMax = 4

    /// The class and each property on a line of its own; links nest to a bounded depth, so that cycles end.
    public var description: String { describe(0) }

    private func describe(_ depth: Int) -> String {
        let model = ModelClass.of(Swift.type(of: self))
        if depth > Self.depthMax { return "<Maximum depth exceeded>" }
        if isInvalidated { return "\(model.name) [invalid object]" }
        let indent = String(repeating: "\t", count: depth + 1)
        let base = Unmanaged.passUnretained(self).toOpaque()
        var text = "\(model.name) {\n"
        for field in model.fields where field.shape.kind != .origins {
            let value = field.wrapper.value(base + field.offset, self)
            text += "\(indent)\(field.name) = \(Self.text(value, depth));\n"
        }
        return text + String(repeating: "\t", count: depth) + "}"
    }

    private static func text(_ value: Any, _ depth: Int) -> String {
        guard let value = StatedValues.unwrapped(value) else { return "(null)" }
        switch value {
        case let object as ObjectBase: return object.describe(depth + 1)
        case let elements as any Sequence where !(value is String):
            let texts = elements.map { text($0, depth) }
            return "(" + texts.joined(separator: ", ") + ")"
        default: return "\(value)"
        }
    }
}
