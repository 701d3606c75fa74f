import HoldfastHTTPServer
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST /v1/backups`: copies the store as it is now, while writes go on.
    func createBackup(_ request: Request) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        let folder = try backupFolder()
        return .later { exchange in
            folder.make { result in
                exchange.respond {
                    switch result {
                    case .success(let entry):
                        Response.json(201) { self.write(entry, to: $0) }
                            .with(.location, "/v1/backups/\(entry.name)")
                    case .failure(let fault): self.response(fault)
                    }
                }
            }
        }
    }
}
