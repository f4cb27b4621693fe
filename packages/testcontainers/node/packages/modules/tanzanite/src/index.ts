export { StartedTanzaniteContainer, TanzaniteContainer } from "./tanzanite-container";
