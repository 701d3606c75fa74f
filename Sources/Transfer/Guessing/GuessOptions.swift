import HoldfastObjectJSON
import HoldfastObjectModel

/// The options of a proposal.
package struct GuessOptions: Sendable {
    /// The name of the class.
    package var className: String
    /// The form of the text; nil for the one that its first character shows.
    package var form: GuessSample.Form?
    /// The form of CSV as far as it is stated.
    package var csv: CSVForm
    /// The names that are given to columns and members.
    package var names: ColumnNames
    /// Whether the delimiter of ``csv`` is stated; otherwise it is guessed.
    package var hasDelimiter = false
    /// How deep JSON nests.
    package var depthMax: Int

    /// The name of a class without another name.
    package static let defaultClassName = "Item"

    /// Takes the options that an import states too.
    package init(_ options: ImportOptions, className: String = GuessOptions.defaultClassName) {
        self.className = className
        csv = options.csv
        names = options.names
        depthMax = options.limits.jsonDepthMax
    }

    /// Makes a class's name of the name of a file: `sales-2024.csv.gz` is `Sales-2024`.
    package static func className(ofFile path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? ""
        let base = file.split(separator: ".").first.map(String.init) ?? ""
        guard base.contains(where: \.isLetter) else { return defaultClassName }
        let name = PropertyNames.valid(base, byteCountMax: ModelLimits.classNameByteCountMax)
        return "\(name.prefix(1).uppercased())\(name.dropFirst())"
    }

    /// Makes sure that the names are those of a class and of properties.
    func check() throws(RequestFault) {
        let known = ObjectClass(name: className, properties: [])
        if let fault = Schema(classes: [known]).faults().first {
            throw .parameter("class", fault.detail)
        }
        for name in names.properties.texts {
            guard let property = names.properties[name],
                let detail = Schema.faults(ofPropertyName: property).first
            else { continue }
            throw .parameter("map", "'map' gives '\(RequestFault.shown(name))' a name: \(detail)")
        }
    }
}
