/// Collections as descriptions show them.
enum CollectionText {
    /// More elements are only counted.
    private static let countMax = 100

    static func describe<C: Collection>(
        _ name: String, _ elements: C, _ text: (C.Element) -> String
    ) -> String {
        var lines = elements.prefix(countMax).enumerated().map { index, element in
            "\t[\(index)] " + text(element).replacing("\n", with: "\n\t")
        }
        if elements.count > countMax {
            lines.append("\t... \(elements.count - countMax) objects skipped.")
        }
        return "\(name) (\n" + lines.joined(separator: ",\n") + "\n)"
    }
}
