import HoldfastJSON
import HoldfastStoreService

/// Shared schemas, parameters, headers and the replies to what can't be done, as they stand in `components.json`, which
/// is built into the program.
///
/// There, a JSON patch is an array in two parts, because openapi-python-client would make a `list[…]` of a plain array,
/// and ask of every body whether it is one, which Python refuses for merge patches too.
struct OpenAPIComponents {
    /// Objects of a page at most.
    let pageObjectCountMax: Int
    /// Objects of a page when the request does not say.
    let pageObjectCountDefault: Int

    private static var file: OpenAPIFile { OpenAPIFile(PackageResources.components_json) }

    /// The names of the shared schemas.
    static let schemaNames: [String] = withExtendedLifetime(file) { file in
        file["schemas"]?.members.map { String(decoding: $0.name, as: UTF8.self) } ?? []
    }

    /// The template of the components.
    var template: OpenAPITemplate {
        var template = OpenAPITemplate(Self.file)
        let limits = [
            "=limit": pageObjectCountMax, "=defaultLimit": pageObjectCountDefault,
            "=sectionObjects": min(CheckedSections.objectCountDefault, pageObjectCountMax),
        ]
        template.values = limits.mapValues { limit in { $0.int(Int64(limit)) } }
        return template
    }
}
